# Draws the efficiencies of tables of bench/scaling/scaling.sh, by the number of processes.
#
#   awk -f bench/scaling/plot.awk strong.md weak.md >docs/scaling.svg
function x(count) { return 60 + 50 * log(count) / log(2) }
function y(efficiency) { return 340 - 300 * efficiency }
BEGIN {
    FS = " *[|] *"
    colours["jacobi_2d strong"] = "#2b6cb0"; colours["jacobi_2d weak"] = "#90cdf4"
    colours["lu strong"] = "#c05621"; colours["lu weak"] = "#fbd38d"
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"390\" viewBox=\"0 0 640 390\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    for (k = 0; k <= 10; k += 2) {
        printf "<path d=\"M60,%g H560\" stroke=\"#dddddd\"/><text x=\"52\" y=\"%g\" text-anchor=\"end\">%.1f</text>\n", y(k / 10), y(k / 10) + 4, k / 10
    }
    for (k = 1; k <= 10; k++)
        printf "<text x=\"%g\" y=\"358\" text-anchor=\"middle\">%d</text>\n", x(2 ^ k), 2 ^ k
    print "<text x=\"310\" y=\"380\" text-anchor=\"middle\">processes of one worker</text>"
    print "<text x=\"60\" y=\"24\">efficiency</text>"
}
FNR == 1 { way = FILENAME ~ /weak/ ? "weak" : "strong" }
$5 ~ /^[0-9.]+$/ {
    split($2, words, " ")
    name = words[1] " " way
    if (!(name in paths)) order[++lines] = name
    paths[name] = paths[name] (paths[name] ? " L" : "M") sprintf("%g,%g", x($3), y($5))
}
END {
    for (k = 1; k <= lines; k++) {
        name = order[k]
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", paths[name], colours[name]
        printf "<path d=\"M%d,18 h20\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"%d\" y=\"22\">%s</text>\n", 140 + 110 * k - 110, colours[name], 164 + 110 * k - 110, name
    }
    print "</svg>"
}
