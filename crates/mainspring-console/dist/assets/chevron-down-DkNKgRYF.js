<<<<<<<< HEAD:crates/mainspring-console/dist/assets/chevron-down-CA0jRUfv.js
import{a as e}from"./Button-BSxHFDkw.js";var t={name:`chevron-down`,size:24,node:[[`path`,{d:`m6 9 6 6 6-6`,key:`qrunsl`}]]};t.node;var n=e(t);export{n as t};
========
import{a as e}from"./Button-DeAESqyL.js";var t={name:`chevron-down`,size:24,node:[[`path`,{d:`m6 9 6 6 6-6`,key:`qrunsl`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/chevron-down-DkNKgRYF.js
