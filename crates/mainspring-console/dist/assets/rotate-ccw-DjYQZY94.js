<<<<<<<< HEAD:crates/mainspring-console/dist/assets/rotate-ccw-YSR9e6uI.js
import{a as e}from"./Button-BSxHFDkw.js";var t={name:`rotate-ccw`,size:24,node:[[`path`,{d:`M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8`,key:`1357e3`}],[`path`,{d:`M3 3v5h5`,key:`1xhq8a`}]]};t.node;var n=e(t);export{n as t};
========
import{a as e}from"./Button-DeAESqyL.js";var t={name:`rotate-ccw`,size:24,node:[[`path`,{d:`M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8`,key:`1357e3`}],[`path`,{d:`M3 3v5h5`,key:`1xhq8a`}]]};t.node;var n=e(t);export{n as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/rotate-ccw-DjYQZY94.js
