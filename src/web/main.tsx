import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { takeTokenFromUrl } from './kit/api/token.ts';
import { keepInput } from './shell/keepInput.ts';
import { followAddress } from './show/pictures/followAddress.ts';
import { waitForFirstImageOrItsWindow } from './kit/state/firstImage.ts';
import { loadChunk } from './kit/state/loadChunk.ts';
import { createPage, type Page, PageContext } from './kit/state/page.ts';
import { rememberPanels } from './kit/state/panels.ts';
import { watchLibrary } from './kit/state/watchLibrary.ts';
import { hastenFirstFrame } from './show/pictures/viewport/hastenFirstFrame.ts';
import './kit/ui/theme.css';

void start();

/** A function, because a module that waits at its top level would need a file of code more than one that does not. */
async function start(): Promise<void> {
  // A notebook of another origin learns by this that the viewer still runs: it can neither read it nor see that it loads.
  if (parent !== window) parent.postMessage('negato', '*');
  await takeTokenFromUrl();
  const page = createPage();
  rememberPanels(page);
  followAddress(page);
  hastenFirstFrame(page);
  void watchLibrary(page, new AbortController().signal);
  void startStackWindows(page);

  const input = keepInput(page);
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <PageContext value={page}>
        <App input={input} />
      </PageContext>
    </StrictMode>,
  );
}

/** A chunk of its own, because it is loaded in parallel with a first image that is to have the window of its stack. */
async function startStackWindows(ofPage: Page): Promise<void> {
  await waitForFirstImageOrItsWindow(ofPage, new AbortController().signal);
  const { followStackWindows } = await loadChunk(ofPage, () => import('./show/values/followStackWindows.ts'));
  followStackWindows(ofPage);
}
