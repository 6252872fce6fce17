import type { FileRecord } from '../../shared/contract/files.ts';
import { hasLayer } from '../kit/state/layers.ts';
import { cellsOf } from '../kit/state/cells.ts';
import { findFile, libraryOf } from '../kit/state/library.ts';
import type { Page } from '../kit/state/page.ts';
import { type InspectorTab, panelsOf, setPanels } from '../kit/state/panels.ts';
import { marksOf } from '../draw/marks/sync/marks.ts';
import { listCandidates } from '../over/layers/stackLayers.ts';
import { pictureOf } from '../show/pictures/pictureKinds.ts';
import { visibleCells } from '../show/pictures/shownFrame.ts';
import type { PictureSource } from '../show/pictures/pictureSource.ts';
import { activeCell } from './activeCell.ts';

/**
 * Shows the tab that the object is about, unless the user works in another one. A study, or a kind of object, that was not on
 * the screen before begins with its own tab. Returns a function that stops this.
 */
export function followUsualTab(page: Page): () => void {
  let known: ReadonlySet<string> = new Set();
  let shown: PictureSource | undefined;
  let files: unknown;
  let usual: InspectorTab = 'tags';
  const follow = () => {
    const picture = pictureOf(page, activeCell(page));
    if (picture === undefined) return;
    const library = libraryOf(page).getState();
    // Scrolling changes nothing, and the list of files may be long.
    if (picture !== shown || library.files !== files) {
      const pictures = visibleCells(page).flatMap((cell) => pictureOf(page, cell) ?? []);
      const isNew = known.size > 0 && !known.has(subjectOf(page, picture));
      [known, shown, files] = [new Set(pictures.map((one) => subjectOf(page, one))), picture, library.files];
      usual = usualTabOf(page, picture);
      // References that the user has opened stay, because they lead to other objects. Set last, because it calls this
      // function again.
      if (isNew && panelsOf(page).getState().tab !== 'references') setPanels(page, { tabBy: 'page' });
    }
    const { tabBy, task, tab } = panelsOf(page).getState();
    if (tabBy !== 'page') return;
    const isDrawing = (task === 'measure' || task === 'annotate') && marksOf(page).getState().marks.size > 0;
    const next = isDrawing ? 'marks' : usual;
    if (next !== tab) setPanels(page, { tab: next });
  };
  follow();
  const stops = [cellsOf(page), libraryOf(page), panelsOf(page), marksOf(page)].map((store) => store.subscribe(follow));
  return () => {
    for (const stop of stops) stop();
  };
}

function usualTabOf(page: Page, picture: PictureSource): InspectorTab {
  const kind = kindOf(fileOf(page, picture), picture);
  if (kind === 'document') return 'references';
  return kind === 'layer' || listCandidates(page, picture, []).length > 0 ? 'layers' : 'tags';
}

/** The study and the kind of object that a picture shows. */
function subjectOf(page: Page, picture: PictureSource): string {
  const file = fileOf(page, picture);
  return `${kindOf(file, picture)}/${file?.study_instance_uid}`;
}

function kindOf(file: FileRecord | undefined, { isPaper, positions }: PictureSource): 'document' | 'layer' | 'image' {
  if (isPaper === true) return 'document';
  if (file !== undefined && hasLayer(file)) return 'layer';
  return positions === 0 ? 'document' : 'image';
}

function fileOf(page: Page, picture: PictureSource): FileRecord | undefined {
  return findFile(page, picture.stack?.fileIndex) ?? (picture.fileOf(0) ?? picture.headerOf?.(0))?.file;
}
