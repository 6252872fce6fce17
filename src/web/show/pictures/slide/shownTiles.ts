import type { ShownTile, ShownTiles, Tile } from '../../../kit/state/shownTiles.ts';
import type { LevelTiles } from './levelTiles.ts';
import { fromLevelPoint, type Slide, type SlideLevel } from './slide.ts';

export type ShownTilesOptions = Pick<ShownTiles, 'choice' | 'visible' | 'level' | 'need' | 'select'> & {
  readonly slide: Slide;
  readonly tilesOf: (level: number) => LevelTiles | undefined;
};

/** What marks over a slide need to know about it. */
export function listShownTiles(options: ShownTilesOptions): ShownTiles {
  const { slide, choice, tilesOf, visible, level, need, select } = options;
  const { levels } = slide;
  return {
    levels: levels.map((shape, at) => ({ ...shape, index: tilesOf(at)?.index })),
    choice,
    level,
    select,
    need,
    fileIndices: levels.flatMap(({ fileIndices }) => fileIndices),
    visible,
    place(address) {
      const of = levels.findIndex(({ fileIndices }) => fileIndices.includes(address.fileIndex));
      const shape = levels[of];
      if (shape === undefined) return undefined;
      const known = tilesOf(of);
      if (known === undefined) need([of]);
      const tile = known?.place(address, choice);
      return tile && toShownTile(tile, shape);
    },
  };
}

function toShownTile({ fileIndex, frame, x, y, width, height, fromX, fromY }: Tile, level: SlideLevel): ShownTile {
  const { scaleX, scaleY } = level;
  const corner = fromLevelPoint({ x: x - fromX, y: y - fromY }, level);
  return { fileIndex, frame, corner, scaleX, scaleY, part: { x: fromX, y: fromY, width, height } };
}
