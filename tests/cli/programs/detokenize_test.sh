#!/bin/sh
# detokenize_test.sh SCRIPT: checks that SCRIPT turns each line of tokens into the text below it.
set -eu
script=$1
cases() {
  cat <<'CASES'
ein mann , der lacht .
ein mann, der lacht.
kids ( und &quot; alte &quot; ) &amp; mehr !
kids (und "alte") & mehr!
he said &quot; no &quot; , then &quot; yes &quot; .
he said "no", then "yes".
a man &apos;s hat , he does n&apos;t mind
a man's hat, he doesn't mind
a well @-@ known 5 % of &#91; x &#93; &lt; y
a well-known 5% of [x] < y

CASES
  echo  # the expected text of the empty line above
}
cases | awk 'NR % 2 == 1' | "$script" >got.detokenized
cases | awk 'NR % 2 == 0' | diff - got.detokenized
