# growth.gnuplot DATA PICTURE: draw the wall time and the peak memory against the number of loans.
# DATA has one block for each program: its name, then lines of loans, seconds and megabytes.

set terminal svg size 960,420 font "sans-serif,14" background rgb "white"
set output ARG2
set encoding utf8

set logscale xy
set format x "10^{%L}"
set grid xtics ytics linecolor rgb "#d0d0d0" linetype 1 linewidth 1
set border 3
set tics nomirror out
set xlabel "loans"
set offsets graph 0.05, graph 0.05

# Told apart by shape, too, for those who see colours otherwise.
array color[3] = ["#555555", "#0060b0", "#c04a00"]
array shape[3] = [4, 7, 9]

set multiplot layout 1,2 margins 0.1,0.985,0.18,0.9 spacing 0.1

set title "Wall time"
set ylabel "seconds" offset 1
set format y "%g"
set key top left Left reverse samplen 3 noenhanced
plot for [i=1:3] ARG1 index i-1 using 1:2 with linespoints \
  linewidth 2 pointsize 0.8 linecolor rgb color[i] pointtype shape[i] title columnheader(1)

set title "Peak memory"
set ylabel "MB" offset 1
unset key
set yrange [1:]
plot for [i=1:3] ARG1 index i-1 using 1:3 with linespoints \
  linewidth 2 pointsize 0.8 linecolor rgb color[i] pointtype shape[i] title columnheader(1)

unset multiplot
