/** Bundles the page into `outdir` (dist/web), compressed, with the server's list of its files; returns its modules. */
export function buildPage(options?: { outdir?: string }): Promise<Iterable<string>>;
