# Completion of palpate for bash: the program itself tells what may come next.
_palpate()
{
    local word line ending i words=() offers=()
    # bash cuts at =, which belongs to PATH=VALUE
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if [ "$i" -gt 1 ] && { [ "${COMP_WORDS[i]}" = = ] || [ "${COMP_WORDS[i - 1]}" = = ]; }; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    word=${words[-1]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :folders) compopt -o dirnames ;;
        :files)
            compopt -o filenames
            mapfile -t offers < <(compgen -f -- "$word")
            ;;
        :files*)
            compopt -o filenames
            mapfile -t offers < <(
                for ending in ${line#:files}; do compgen -f -X "!*$ending" -- "$word"; done
                compgen -d -- "$word"
            )
            ;;
        *) offers+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" help --complete "${words[@]}" 2>/dev/null)
    for line in "${offers[@]}"; do
        case $line in
        "$word"*)
            case $line in *[.=]) compopt -o nospace ;; esac
            case $word in *=*) line=${line#*=} ;; esac
            COMPREPLY+=("$line")
            ;;
        esac
    done
}
complete -F _palpate palpate
