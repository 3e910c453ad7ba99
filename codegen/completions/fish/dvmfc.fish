complete -c dvmfc -l explain -d 'what the code of a message means' -r
complete -c dvmfc -l show -d 'keep the generated C as FILE.LINE.dvm.c next to the object'
complete -c dvmfc -l dvm-strict -d 'a region that stays sequential is an error'
complete -c dvmfc -l dvm-remarks -d 'print which regions are tiled'
complete -c dvmfc -l why -d 'read loops outside of regions'
complete -c dvmfc -l help -d 'this text'
complete -c dvmfc -l version -d 'versions of dvmfc and of the compiler behind it'
