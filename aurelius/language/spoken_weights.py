"""Weights of signs and meaning by which `spoken` keeps a clause, written by `scripts/bench conversations --fit`.

A weight of meaning is a letter, as far from `m` as its worth in steps of SCALE.
"""

from __future__ import annotations

BIAS, SCALE = -4.3784, 0.001004
SIGNS = (
    "after guess=-0.2;after rule=0.4;aside=0.4;ask=0.4;aux=-0.2;before asked=0.5;before changed=0.3;before guess=0."
    "2;before rule=0.8;before told=0.4;changed=0.7;clock=0.4;dated=1.3;day=0.3;decided=2.8;digit=0.6;does=0.4;done="
    "0.2;every=0.6;from=0.2;guess=-1.3;has=0.3;heshe=0.2;i do=0.3;is=0.3;is asked=-0.4;is supposed=-0.3;is told=1.1"
    ";is wanted=-0.4;kin=0.5;last=-0.2;letter=-0.3;life=1.5;me=0.2;mine is=0.4;money=0.2;must=-0.4;my=0.3;names 0=-"
    "0.6;names 1=0.2;names 2=0.4;no=0.9;now=0.6;number=0.2;only=0.5;ordered=3.0;over 11=0.5;over 14=0.2;over 18=0.5"
    ";over 3=1.0;over 5=0.5;past=0.5;plain=0.3;plain short=0.7;plain twice=0.5;please=-0.3;prefer=2.9;question=-0.3"
    ";quoted=-0.4;role=1.7;rule=0.5;settled=0.6;shift=0.6;since=-0.2;so=0.9;the=-0.4;thus=-0.3;trait=0.6;we=0.8;wh="
    "-0.6;who does=0.5;who is=0.5;will=-0.2;would=0.3;you=-0.4"
)
MEANT = (
    "yllhsmjtoljljqmliompplmimmnjrpnlplmklklnmrgjmmkpqlsnlmmklnmlllikkhmpmngmnoiknlqclolniodhhmknkmkpkllnmkkqkmpojn"
    "nnsnqinmmiolfjjripqmnplnhiolnmislfklmnllnlojhnlrnngqskqmkjkmqnmnnnlmlnnmnmlmtnqjnpsjrmmkqllplitpkkljjnipjkllmi"
    "okjmpqlnimooklnoqllqokmniololqpllkmq"
)
