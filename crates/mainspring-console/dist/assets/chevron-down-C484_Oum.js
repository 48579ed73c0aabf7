<<<<<<<< HEAD:crates/mainspring-console/dist/assets/chevron-down-rgllLSFx.js
import{o as e}from"./Dialog.module-Bh4Hmip-.js";var t={name:`chevron-down`,size:24,node:[[`path`,{d:`m6 9 6 6 6-6`,key:`qrunsl`}]]};t.node;var n=e(t);export{n as t};
========
import{o as e}from"./Dialog.module-BvAiI2ic.js";var t={name:`chevron-down`,size:24,node:[[`path`,{d:`m6 9 6 6 6-6`,key:`qrunsl`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/chevron-down-C484_Oum.js
