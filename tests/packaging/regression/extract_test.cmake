# cmake -DFROM=JSON -DTO=FILE -P extract_test.cmake: extracts the regression test from a hunt's JSON.
file(READ ${FROM} json)
string(JSON code GET "${json}" violation regression_test)
file(WRITE ${TO} "${code}")
