<<<<<<<< HEAD:crates/mainspring-console/dist/assets/chevron-left-B7LeBC2Z.js
import{a as e}from"./Button-BSxHFDkw.js";var t={name:`chevron-left`,size:24,node:[[`path`,{d:`m15 18-6-6 6-6`,key:`1wnfg3`}]]};t.node;var n=e(t);export{n as t};
========
import{a as e}from"./Button-DeAESqyL.js";var t={name:`chevron-left`,size:24,node:[[`path`,{d:`m15 18-6-6 6-6`,key:`1wnfg3`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/chevron-left-Cv7B_hAF.js
