# cmake -DFROM=JSON -DTO=FILE -P extract_test.cmake: the regression test in what a hunt prints as JSON.
file(READ ${FROM} json)
string(JSON code GET "${json}" violation regression_test)
file(WRITE ${TO} "${code}")
