import './design/tokens.css';
import './design/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { TooltipProvider } from './components/Tooltip';
import { WordsProvider, loadDictionary } from './i18n';
import { config } from './lib/config';
import { listenForKeys } from './lib/keys';
import { startLive } from './lib/live';
import { followAppearance, prefs } from './lib/prefs';
import { client, router } from './router';

// Dialogs lock scrolling with a style element, which the content security policy admits by this.
if (config.nonce) setNonce(config.nonce);
followAppearance();
listenForKeys();
startLive(client, !location.pathname.endsWith('/login'));

// Says which address is on screen: one that is gone to shows the page before it until its own is there.
router.subscribe('onRendered', () => {
  document.documentElement.dataset.shown = location.pathname + location.search + location.hash;
});

const words = await loadDictionary(prefs.get().language);
createRoot(document.getElementById('root') as HTMLElement).render(
  <WordsProvider initial={words}>
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <RouterProvider router={router} />
      </TooltipProvider>
    </QueryClientProvider>
  </WordsProvider>,
);
