complete -c dvmcc -l explain -d 'what the code of a message means' -r
complete -c dvmcc -l show -d 'keep the generated C as FILE.dvm.c next to the object'
complete -c dvmcc -l across -d 'regions without a clause run on all processes where that pays'
complete -c dvmcc -l dvm-strict -d 'a region that stays sequential is an error'
complete -c dvmcc -l dvm-remarks -d 'print what became of each region'
complete -c dvmcc -l why -d 'read the loops outside of regions'
complete -c dvmcc -l help -d 'this text'
complete -c dvmcc -l version -d 'versions of dvmcc and of the compiler behind it'
