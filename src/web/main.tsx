import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { followRois } from './annotations/followRois.ts';
import { takeTokenFromUrl } from './api/token.ts';
import { startLateParts } from './shell/startLateParts.ts';
import { followAddress } from './state/followAddress.ts';
import { rememberPanels } from './state/panels.ts';
import { watchLibrary } from './state/watchLibrary.ts';
import { startViewports } from './viewport/linkCells.ts';
import './ui/theme.css';

takeTokenFromUrl();
rememberPanels();
followAddress();
startViewports();
followRois();
void startLateParts(new AbortController().signal);
void watchLibrary(new AbortController().signal);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
