import type { FolderNews, Inputs } from '../../bytes/origins/origins.ts';

/** First message to the thread that watches folders. */
export type WatchSetup = Inputs & { readonly pollMs?: number | undefined };

/** `ready`: what is there now is known, and every change after this is reported. */
export type WatchMessage = 'ready' | { readonly news: FolderNews } | { readonly polling: string };
