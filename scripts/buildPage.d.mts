/** Bundles the page into `outdir` (dist/web), compressed, with the server's list of it. */
export function buildPage(options?: { outdir?: string }): Promise<void>;
