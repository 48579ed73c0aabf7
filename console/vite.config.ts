import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The dev server passes API calls on to a running mainspring, with its bearer token.
const server = process.env.MAINSPRING_URL ?? 'http://127.0.0.1:7070';
const token = process.env.MAINSPRING_TOKEN;

export default defineConfig({
  // Addresses of assets are relative to the page, whose `<base>` the server writes.
  base: './',
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': {
        target: server,
        headers: token ? { authorization: `Bearer ${token}` } : {},
      },
    },
  },
  css: { modules: { generateScopedName: '[name]_[local]_[hash:base64:5]' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // The editor's libraries in parts that are fetched side by side, and kept when one of them changes.
        codeSplitting: {
          groups: [
            { name: 'merge', test: /node_modules\/@codemirror\/merge/ },
            { name: 'codemirror', test: /node_modules\/(@codemirror|@lezer|style-mod|crelt|w3c-keyname|@marijn)/ },
            { name: 'yaml', test: /node_modules\/yaml\// },
          ],
        },
      },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    // The palette's test reads the tokens.
    css: { include: /tokens/ },
    clearMocks: true,
  },
});
