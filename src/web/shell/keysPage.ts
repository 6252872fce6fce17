import { listKeys } from './keyHelp.ts';

/** The page docs/keys.md. */
export function writeKeysPage(): string {
  const sections = listKeys().map(({ group, lines }) => {
    const rows = lines.map(({ keys, title }) => `| ${keys.map(toCode).join(', ')} | ${title} |`);
    return [`## ${group}`, '', '| Input | Action |', '| --- | --- |', ...rows].join('\n');
  });
  return [
    '# Keys and hands',
    'In the page, `?` shows the same list. Letters never act with Ctrl, Cmd or Alt held, nor while you type. Ctrl is also Cmd.',
    ...sections,
    'Dragging right widens the window, dragging up brightens the image.',
  ]
    .join('\n\n')
    .concat('\n');
}

function toCode(key: string): string {
  return key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``;
}
