import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import { formatDate, formatPersonName } from '../../shared/dicomTexts.ts';
import { beginPage, escapeHtml } from '../htmlPage.ts';
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

const STYLE = `<style>
figcaption span { color: var(--soft); }
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
</style>
`;

export function writeHead({
  isAlone,
  about,
}: {
  readonly isAlone: boolean;
  readonly about: readonly string[];
}): string {
  const lines = about.map((line) => `<p class="soft">${escapeHtml(line)}</p>\n`).join('');
  const head = beginPage({ title: 'Sheets of key slices', generator: 'negato sheet', isAlone, style: STYLE });
  return `${head}${lines}<div class="studies">\n`;
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
  return `<section>\n<h2>${escapeHtml(name)}</h2>\n<div class="grid">\n`;
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
      ? `<div class="none">${escapeHtml(kindOfObject(of))}</div>`
      : `<img src="${escapeHtml(picture.source)}" width="${picture.width}" height="${picture.height}" alt="${escapeHtml(`Key slices of ${title}`)}" loading="lazy">`;
  const lines = notes.map((note) => `<span class="note">${escapeHtml(note)}</span>`).join('');
  const line = escapeHtml(counts.filter((part) => part !== '').join(' · '));
  return `<figure>${shown}<figcaption><b>${escapeHtml(title)}</b><span>${line}</span>${lines}</figcaption></figure>\n`;
}

export function writeEnd(leftOut: readonly LeftOutOfPage[]): string {
  if (leftOut.length === 0) return '</div>\n</body>\n</html>\n';
  const rows = leftOut.map(
    ({ what, reason }) => `<tr><td>${escapeHtml(what)}</td><td>${escapeHtml(reason)}</td></tr>\n`,
  );
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
