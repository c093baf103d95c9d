# fish completion for calque. `calque completion fish` prints it.

set -g __calque_configs @CONFIGS@
set -g __calque_keys (string match -r '\S+' @KEYS@ | string replace -r '$' =)

# Whether the command line begins with these words; without any, whether it is still empty.
function __calque_in
    set -l words (commandline -opc)
    set -e words[1]
    set -l count (count $argv)
    if test $count -eq 0
        test (count $words) -eq 0
        return
    end
    test (string join ' ' $words[1..$count]) = (string join ' ' $argv)
end

# Whether it has these words and the command is still missing.
function __calque_at
    set -l words (commandline -opc)
    test (count $words) -eq (math (count $argv) + 1); and __calque_in $argv
end

complete -c calque -f
@LINES@
