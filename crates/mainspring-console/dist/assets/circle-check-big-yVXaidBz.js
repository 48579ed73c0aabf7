<<<<<<<< HEAD:crates/mainspring-console/dist/assets/circle-check-big-CnmQiKRk.js
import{o as e}from"./Dialog.module-Bh4Hmip-.js";var t={name:`circle-check-big`,size:24,node:[[`path`,{d:`M21.801 10A10 10 0 1 1 17 3.335`,key:`yps3ct`}],[`path`,{d:`m9 11 3 3L22 4`,key:`1pflzl`}]],aliases:[`check-circle`]};t.node;var n=e(t);export{n as t};
========
import{o as e}from"./Dialog.module-BvAiI2ic.js";var t={name:`circle-check-big`,size:24,node:[[`path`,{d:`M21.801 10A10 10 0 1 1 17 3.335`,key:`yps3ct`}],[`path`,{d:`m9 11 3 3L22 4`,key:`1pflzl`}]],aliases:[`check-circle`]};t.node;var n=e(t);export{n as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/circle-check-big-yVXaidBz.js
