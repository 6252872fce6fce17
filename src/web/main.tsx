import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { takeTokenFromUrl } from './api/token.ts';
import { followAddress } from './state/followAddress.ts';
import { watchLibrary } from './state/watchLibrary.ts';
import './ui/theme.css';

takeTokenFromUrl();
followAddress();
void watchLibrary(new AbortController().signal);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
