import { asError } from '../../../../shared/asError.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import { toQuery } from '../../../kit/api/frames.ts';
import { cellOf, cellsOf, stackOfCell, toWindowChoice, updateCell } from '../../../kit/state/cells.ts';
import { fileInfoOf, findInfo, loadInfo } from '../../../kit/state/fileInfo.ts';
import { findFile, libraryOf, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ProbedSample } from '../probeFrame.ts';
import { refusePicture } from '../refusals.ts';
import { findPosition, type StackFrame } from '../../../kit/state/stacks.ts';
import { NOTHING_SHOWN, reportOf, setReport, type ShownImage } from '../viewports.ts';
import type { Point, Size } from '../../../kit/state/viewState.ts';
import { createSlideView } from './createSlideView.ts';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
import { type OpenSlide, openSlide } from './openSlide.ts';
import { findMagnification } from '../magnification.ts';
import { type MixedPath, nameMix, toRange, toWindow } from './slideMix.ts';
import { findSlide, slidePictures } from './slidePictures.ts';
import { NO_SLIDE, setSlide, updateSlide } from './slideState.ts';
import { TILE_BYTES, tilesOf } from './tiles.ts';

/** A slide in a cell. */
export interface SlideHandle {
  resize(size: Size, devicePixelRatio: number): void;
  probe(at: Point): ProbedSample | undefined;
  /** The image point at a point of the minimap. */
  locate(at: Point): Point | undefined;
  retry(): void;
  close(): void;
}

/** Keeps a canvas in step with the slide of a cell. Only the canvas element itself goes through React. */
export function followSlide(
  page: Page,
  cell: number,
  { canvas, minimap }: { readonly canvas: HTMLCanvasElement; readonly minimap: HTMLCanvasElement },
): SlideHandle {
  const tiles = tilesOf(page);
  let opened: OpenSlide | undefined;
  let opening: { readonly fileIndex: number; readonly controller: AbortController } | undefined;
  let error: Error | undefined;
  let address: StackFrame | undefined;
  let choice: PictureChoice | undefined;
  let window: WindowChoice | undefined;
  /** Tiles of the view are loading. */
  let isLoading = false;
  /** A different window is wanted once those tiles are loaded. */
  let isWindowAwaited = false;

  const view = createSlideView({
    owner: String(cell),
    canvas,
    minimap,
    loader: tiles,
    tilesOf: (level) => opened?.tilesOf(level),
    onLevels: (levels) => opened?.need(levels),
    onSelect: (picture) => select(picture),
    onReport(report) {
      const problem = error ?? opened?.findError();
      const told = { ...report, shown: report.screen && describeShown() };
      setReport(page, cell, problem === undefined ? told : { ...told, status: 'failed', error: problem });
      // The choice of pictures can wait for the first one.
      if (report.status === 'ready') opened?.need([0]);
      isLoading = report.status === 'loading';
      if (!isLoading && isWindowAwaited) show();
    },
    onTiles: (state) => updateSlide(page, cell, state),
    mostBytes: TILE_BYTES / 2,
  });

  /** Describes the image that the tiles on the canvas belong to. */
  const describeShown = (): ShownImage | undefined => {
    const file = findFile(page, address?.fileIndex);
    const stack = file && stackOf(page, file);
    const source = stack && slidePictures.open(page, stack.id);
    if (address === undefined || file === undefined || stack === undefined || source === undefined) return undefined;
    const position = findPosition(stack, address.fileIndex, address.frame) ?? 0;
    const { window: chosen, invert, colorMap } = cellOf(page, cell);
    return { source, position, stack, frame: address, file, chosen, invert, colorMap };
  };

  const sync = () => {
    const frame = findSlide(page, cell)?.stack?.frames[cellOf(page, cell).position];
    // The cell shows another image, and the slide is about to be closed.
    if (frame === undefined) return;
    if (opened === undefined || !opened.hasFile(frame.fileIndex)) {
      if (opening?.fileIndex !== frame.fileIndex) void open(frame);
      return;
    }
    if (frame !== address) {
      address = frame;
      choice = opened.tilesOf(0)?.choiceOf(frame.fileIndex, frame.frame) ?? choice;
    }
    show();
  };

  const open = async (frame: StackFrame) => {
    opening?.controller.abort();
    const controller = new AbortController();
    const { signal } = controller;
    opening = { fileIndex: frame.fileIndex, controller };
    error = undefined;
    if (opened?.hasFile(frame.fileIndex) === false) {
      // Tiles of another slide must not stay on the screen under the name of this one.
      opened.close();
      opened = undefined;
      view.show(undefined);
    }
    setReport(page, cell, { ...NOTHING_SHOWN, status: 'loading' });
    try {
      const found = await openSlide(page, frame, { signal, onChange: sync });
      if (signal.aborted) return;
      const pictureId = cellOf(page, cell).pictureId;
      if (found === undefined && pictureId !== undefined) refusePicture(page, slidePictures, pictureId);
      if (found === undefined) return;
      take(found, frame);
    } catch (thrown) {
      if (signal.aborted) return;
      error = asError(thrown);
      setReport(page, cell, { ...NOTHING_SHOWN, status: 'failed', error });
    }
  };

  const take = (found: OpenSlide, frame: StackFrame) => {
    opened?.close();
    opened = found;
    address = frame;
    choice = found.first;
    window = undefined;
    const { companions, warnings } = found.slide;
    setSlide(page, cell, { ...NO_SLIDE, companions, warnings, select, setMix });
    void loadInfo(page, frame.fileIndex, new AbortController().signal);
    if (!toLargestLevel(page, cell, found, frame)) sync();
  };

  const show = () => {
    if (opened === undefined || choice === undefined) return;
    followWindow(opened, choice);
    const { view: shown, invert, colorMap, interpolation } = cellOf(page, cell);
    const file = findFile(page, address?.fileIndex);
    const largest = opened.tilesOf(0);
    const background = (largest ?? opened.tilesOf(opened.slide.backing))?.background;
    const paths = largest?.paths ?? NO_SLIDE.paths;
    const magnification = findMagnification({
      mmPerPixel: opened.slide.mmPerPixel,
      objectivePower: (paths.find(({ key }) => key === choice?.path) ?? paths[0])?.objectivePower,
    });
    const canMix = paths.length > 1 && isGray(file);
    const chosen = cellOf(page, cell).mix;
    const mix = canMix && chosen !== undefined ? nameMix(chosen, paths) : undefined;
    const channels = mix && listChannels(opened, choice, mix);
    const fitting = Object.fromEntries(
      (channels ?? []).flatMap(({ choice: { path }, fit }) => {
        const range = toRange(fit);
        return range === undefined ? [] : [[path, range]];
      }),
    );
    updateSlide(page, cell, {
      choice,
      paths,
      planes: largest?.planes ?? NO_SLIDE.planes,
      magnification,
      canMix,
      mix,
      fitting,
    });
    view.show({
      slide: opened.slide,
      choice,
      view: shown,
      window,
      mix: channels?.filter(({ isVisible }) => isVisible),
      magnification,
      invert,
      // A mix has its own colors.
      colorMap: isGray(file) && mix === undefined ? colorMap : 'gray',
      interpolation,
      // Color slides are lit through the glass, which is bright; fluorescence is on a dark background.
      background: background === undefined ? (isGray(file) ? '#000' : '#fff') : `rgb(${background.join(' ')})`,
    });
  };

  const followWindow = (slide: OpenSlide, picture: PictureChoice) => {
    const wanted = resolveWindow(page, slide, picture, cell);
    isWindowAwaited = false;
    if (wanted === undefined || (window !== undefined && toQuery(wanted) === toQuery(window))) return;
    const isByHand = window !== undefined && cellOf(page, cell).window.kind === 'custom';
    // Dragging produces more windows than tiles can be loaded, so each window is loaded completely before the next.
    isWindowAwaited = isByHand && isLoading;
    if (isWindowAwaited) return;
    window = wanted;
    isLoading = true;
  };

  const setMix = (next: readonly MixedPath[] | undefined) => {
    // Labels belong to the slide and are not stored in the cell.
    updateCell(page, cell, {
      mix: next?.map(({ path, color, isVisible, range }) => ({ path, color, isVisible, range })),
    });
  };

  const select = (picture: PictureChoice) => {
    const stack = stackOfCell(page, cell);
    const frame = opened?.tilesOf(0)?.findFrame(picture);
    const position = stack && frame && findPosition(stack, frame.fileIndex, frame.frame);
    choice = picture;
    // The address finds the picture again by its frame.
    if (position !== undefined) updateCell(page, cell, { position });
    address = stack?.frames[position ?? -1] ?? address;
    show();
  };

  const reopen = () => {
    const frame = stackOfCell(page, cell)?.frames[cellOf(page, cell).position];
    if (frame !== undefined) void open(frame);
  };

  const stopWatching = [
    cellsOf(page).subscribe((state, before) => {
      if (state.cells[cell] !== before.cells[cell]) sync();
    }),
    fileInfoOf(page).changes.subscribe(sync),
    page.onRestart(() => {
      opened?.close();
      opened = undefined;
      opening = undefined;
      view.show(undefined);
    }),
    libraryOf(page).subscribe((library, before) => {
      // More levels may have been found since.
      if (library.summary?.scan_complete === true && before.summary?.scan_complete === false) reopen();
      else sync();
    }),
  ];
  sync();

  return {
    resize: (size, devicePixelRatio) => view.resize(size, devicePixelRatio),
    probe: (at) => view.probe(at),
    locate: (at) => view.locate(at),
    retry() {
      tiles.retry();
      opened?.retry();
      if (error !== undefined) reopen();
    },
    close() {
      for (const stop of stopWatching) stop();
      opening?.controller.abort();
      opened?.close();
      view.close();
      setSlide(page, cell, undefined);
      if (reportOf(page, cell).source === 'server') setReport(page, cell, undefined);
    },
  };
}

/** A slide is always represented by its largest level, whichever level it was opened from. */
function toLargestLevel(page: Page, cell: number, { slide }: OpenSlide, { fileIndex }: StackFrame): boolean {
  const [{ fileIndices }] = slide.levels;
  const file = findFile(page, fileIndices[0]);
  if (fileIndices.includes(fileIndex) || file === undefined) return false;
  const stack = stackOf(page, file);
  updateCell(page, cell, { pictureId: stack.id, position: findPosition(stack, file.index, 0) ?? 0 });
  return true;
}

/** A window stays undefined until `windowsOf` has read it. */
function listChannels(opened: OpenSlide, choice: PictureChoice, mix: readonly MixedPath[]) {
  return mix.map(({ path, color, range, isVisible }) => {
    const own = { ...choice, path };
    const fit = isVisible || range !== undefined ? opened.windowsOf(own)?.middle : undefined;
    return { choice: own, color, isVisible, fit, window: range === undefined ? fit : toWindow(range) };
  });
}

function isGray(file: FileRecord | undefined): boolean {
  return file?.photometric_interpretation.startsWith('MONOCHROME') ?? false;
}

/** One window for all tiles; undefined until it is known. Color is not windowed. */
function resolveWindow(page: Page, opened: OpenSlide, choice: PictureChoice, cell: number): WindowChoice | undefined {
  const { window, position } = cellOf(page, cell);
  const file = findFile(page, stackOfCell(page, cell)?.frames[position]?.fileIndex);
  if (!isGray(file)) return { kind: 'default' };
  if (window.kind === 'custom' || window.kind === 'preset') return toWindowChoice(window);
  if (window.kind === 'full') return opened.windowsOf(choice)?.full;
  const declared =
    window.kind !== 'file' || window.index === 0 ? undefined : findInfo(page, file?.index ?? -1)?.windows[window.index];
  if (declared !== undefined) return { kind: 'explicit', center: declared.center, width: declared.width };
  return file?.default_window === null ? opened.windowsOf(choice)?.middle : { kind: 'default' };
}
