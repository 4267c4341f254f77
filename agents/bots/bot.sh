#!/bin/sh
# A bot for agents/PROTOCOL.md in POSIX sh, without any other program: it makes the first legal choice.
while IFS= read -r line; do
    case $line in
    '{"hello"'*) echo '{"name": "first", "protocol": 1}' ;;
    '{"move"'*)
        legal=${line##*'"legal":["'} # "legal" is the last key
        echo "{\"action\": \"${legal%%'"'*}\"}" ;;
    '{"quit"'*) exit 0 ;;
    esac
done
