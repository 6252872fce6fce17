import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { takeTokenFromUrl } from './api/token.ts';
import { keepHands } from './shell/keepHands.ts';
import { followAddress } from './state/followAddress.ts';
import { rememberPanels } from './state/panels.ts';
import { watchLibrary } from './state/watchLibrary.ts';
import { hastenFirstFrame } from './viewport/hastenFirstFrame.ts';
import { forgetFramesOfOthers } from './viewport/imaging.ts';
import './ui/theme.css';

takeTokenFromUrl();
rememberPanels();
followAddress();
hastenFirstFrame();
forgetFramesOfOthers();
void watchLibrary(new AbortController().signal);

const hands = keepHands();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App hands={hands} />
    </StrictMode>,
  );
}
