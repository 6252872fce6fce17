import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import { formatDate, formatPersonName } from '../../shared/dicomTexts.ts';
import type { CountedSeries } from './listSeries.ts';

/** A picture of the page: in it, or beside it. */
export type PagePicture = {
  /** A data URL, or a relative one. */
  readonly source: string;
  readonly width: number;
  readonly height: number;
};

/** What a series is shown with. */
export type SeriesCard = {
  readonly series: CountedSeries;
  /** Undefined for a series without images. */
  readonly picture: PagePicture | undefined;
  /** What is to be known of it: damage, what is not drawn, or what an object without a picture is. */
  readonly notes: readonly string[];
};

export type LeftOutOfPage = { readonly what: string; readonly reason: string };

/** Without script, and without a request to anybody. */
const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="negato sheet">
`;

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
.soft, figcaption span { color: var(--soft); }
/* Small studies stand side by side. */
.studies { display: flex; flex-wrap: wrap; gap: 0 24px; }
section { max-width: 100%; }
.grid { display: flex; flex-wrap: wrap; gap: 12px; }
figure { box-sizing: border-box; width: 300px; max-width: 100%; margin: 0; padding: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
figure img { display: block; width: 100%; height: auto; background: #000; }
.none { padding: 24px 12px; border: 1px dashed var(--line); color: var(--soft); text-align: center; }
figcaption { margin-top: 6px; overflow-wrap: anywhere; }
figcaption b { display: block; }
figcaption span { display: block; }
.note { color: #a04800; }
@media (prefers-color-scheme: dark) { .note { color: #ffb066; } }
table { border-collapse: collapse; }
td, th { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
</style>
`;

/** Only what is in the file itself is shown, wherever it is opened. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">\n`;

export function writeHead({
  isAlone,
  about,
}: {
  readonly isAlone: boolean;
  readonly about: readonly string[];
}): string {
  const lines = about.map((line) => `<p class="soft">${escape(line)}</p>\n`).join('');
  const policy = isAlone ? POLICY : '';
  return `${HEAD}${policy}<title>Sheets of key slices</title>\n${STYLE}</head>\n<body>\n<h1>Sheets of key slices</h1>\n${lines}<div class="studies">\n`;
}

export function nameStudy(of: DicomFile): string {
  const parts = [
    formatPersonName(of.patientName ?? ''),
    of.patientId,
    formatDate(of.studyDate ?? ''),
    of.studyDescription,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ') || 'Study without a name';
}

/** The heading of some cards, and the beginning of their grid. */
export function beginSection(name: string): string {
  return `<section>\n<h2>${escape(name)}</h2>\n<div class="grid">\n`;
}

export function endSection(): string {
  return '</div>\n</section>\n';
}

export function writeCard({ series, picture, notes }: SeriesCard): string {
  const { of, files, images } = series;
  const title = nameCard(of);
  const counts = [
    of.modality,
    counted(files, 'file'),
    images === files || images === 0 ? '' : counted(images, 'image'),
  ];
  const shown =
    picture === undefined
      ? `<div class="none">${escape(kindOfObject(of))}</div>`
      : `<img src="${escape(picture.source)}" width="${picture.width}" height="${picture.height}" alt="${escape(`Key slices of ${title}`)}" loading="lazy">`;
  const lines = notes.map((note) => `<span class="note">${escape(note)}</span>`).join('');
  const line = escape(counts.filter((part) => part !== '').join(' · '));
  return `<figure>${shown}<figcaption><b>${escape(title)}</b><span>${line}</span>${lines}</figcaption></figure>\n`;
}

export function writeEnd(leftOut: readonly LeftOutOfPage[]): string {
  if (leftOut.length === 0) return '</div>\n</body>\n</html>\n';
  const rows = leftOut.map(({ what, reason }) => `<tr><td>${escape(what)}</td><td>${escape(reason)}</td></tr>\n`);
  const table = `<table>\n<tr><th>What</th><th>Why</th></tr>\n${rows.join('')}</table>\n`;
  return `</div>\n<section>\n<h2>Left out</h2>\n${table}</section>\n</body>\n</html>\n`;
}

/** Number and description of a series. */
export function nameCard(of: DicomFile): string {
  const { seriesNumber, seriesDescription, contentTitle, sopClassName } = of;
  const number = seriesNumber === undefined || seriesNumber === '' ? '' : `${seriesNumber} · `;
  return `${number}${seriesDescription || contentTitle || sopClassName || of.modality || 'Series'}`;
}

export function kindOfObject({ contentTitle, sopClassName, objectKind }: DicomFile): string {
  return contentTitle || sopClassName || objectKind.replaceAll('_', ' ');
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
