/** Without script, and without a request to anybody. */
const STYLE = `<style>
:root { color-scheme: light dark; --text: #1c1f23; --soft: #5b6470; --ground: #f6f7f9; --card: #fff; --line: #d9dde3; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #a3abb6; --ground: #15171a; --card: #1e2126; --line: #343a42; }
}
body { margin: 0 auto; padding: 16px; max-width: 1920px; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { margin: 0 0 4px; font-size: 20px; }
h2 { margin: 28px 0 8px; font-size: 16px; }
p { margin: 4px 0; }
.soft { color: var(--soft); }
table { border-collapse: collapse; }
td, th { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
</style>
`;

/** Only what is in the file itself is shown, wherever it is opened. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">\n`;

export type PageHead = {
  readonly title: string;
  /** The command that writes the page. */
  readonly generator: string;
  /** Whether everything that the page shows is in it. */
  readonly isAlone: boolean;
  /** What is added to the style of all pages. */
  readonly style: string;
};

/** The beginning of a page that a command writes, up to its heading. */
export function beginPage({ title, generator, isAlone, style }: PageHead): string {
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="generator" content="${escapeHtml(generator)}">`,
  ];
  const policy = isAlone ? POLICY : '';
  const heading = `<h1>${escapeHtml(title)}</h1>`;
  return `${lines.join('\n')}\n${policy}<title>${escapeHtml(title)}</title>\n${STYLE}${style}</head>\n<body>\n${heading}\n`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
