import { listKeys } from './keyHelp.ts';

/** The page docs/keys.md. */
export function writeKeysPage(): string {
  const sections = listKeys().map(({ group, lines }) => {
    const rows = lines.map(({ keys, title }) => `| ${keys.map(toCode).join(', ')} | ${title} |`);
    return [`## ${group}`, '', '| Input | Action |', '| --- | --- |', ...rows].join('\n');
  });
  return [
    '# Keyboard and mouse',
    'Press `?` in the page to show this list. Letter keys do nothing while Ctrl, Cmd or Alt is held or while you type. Cmd works like Ctrl.',
    ...sections,
    'With the window tool, dragging right widens the window and dragging up brightens the image.',
  ]
    .join('\n\n')
    .concat('\n');
}

function toCode(key: string): string {
  return key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``;
}
