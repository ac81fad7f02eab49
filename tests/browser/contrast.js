// Shared by run.sh and control_page.py: failed expectations, contrast and colours.
"use strict";

const kLeastContrast = 4.5;  // WCAG 2.2, 1.4.3
const wrong = [];

function expect(holds, words) {
  if (!holds) wrong.push(words);
}

function color(text) {
  const parts = text.match(/[\d.]+/g).map(Number);
  return {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1};
}

function over(top, below) {
  return top.rgb.map((value, index) => value * top.alpha + below[index] * (1 - top.alpha));
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(first, second) {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// CIE L*a*b* with the white of sRGB, where distances match what people see.
function lab(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((share) => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference(first, second) {
  const [one, other] = [lab(first), lab(second)];
  return Math.hypot(...one.map((value, index) => value - other[index]));
}

function backdrop(view, element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(color(view.getComputedStyle(at).backgroundColor));
  const row = element.closest?.("g.row");
  if (row) layers.unshift(color(view.getComputedStyle(row.querySelector(".hit")).fill));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
}

function checkContrast(view, where) {
  const walker = view.document.createTreeWalker(view.document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, [hidden], :disabled, .skip")) continue;
    if (element.getClientRects().length === 0) continue;
    const style = view.getComputedStyle(element);
    const ink = color(element.closest("svg") ? style.fill : style.color);
    const below = backdrop(view, element);
    const ratio = contrast(over(ink, below), below);
    texts += 1;
    expect(ratio >= kLeastContrast, `${where}: contrast ${ratio.toFixed(2)} of "${node.data.trim().slice(0, 40)}"`);
  }
  expect(texts > 40, `${where}: only ${texts} texts were looked at`);
}
