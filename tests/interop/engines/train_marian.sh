#!/bin/sh
# Trains a small Transformer with Marian itself, on one CPU.
#
#   train_marian.sh PYMARIAN FOLDER SOURCE TARGET [UPDATES [OPTION...]]
set -eu
pymarian=$1 folder=$2 source=$3 target=$4 updates=${5:-600}
shift 4
[ $# -eq 0 ] || shift
mkdir -p "$folder"
"$pymarian" train --type transformer --model "$folder/model.npz" --train-sets "$source" "$target" \
  --vocabs "$folder/vocab.spm" "$folder/vocab.spm" --dim-vocabs 1000 1000 --tied-embeddings-all \
  --dim-emb 64 --enc-depth 2 --dec-depth 2 --transformer-heads 4 --transformer-dim-ffn 128 \
  --transformer-dropout 0 --label-smoothing 0.1 --learn-rate 0.003 --lr-warmup 100 \
  --clip-norm 1 --mini-batch 32 --maxi-batch 10 --max-length 100 --after-batches "$updates" \
  --cost-type ce-mean-words --beam-size 5 --normalize 1 --cpu-threads 1 --workspace 512 --seed 1 \
  --disp-freq 100 --quiet "$@"
