import type { GraphicsPacket } from '../../shared/contract/graphics.ts';
import { fromWireGraphic } from '../../shared/wireGraphics.ts';
import { findArea, findPart, type KnownPresentation } from '../state/presentations.ts';
import type { Size } from '../state/viewState.ts';

/** The graphics and texts that a presentation state draws over one frame, the lowest layer first. */
export function packetOfState(
  known: KnownPresentation,
  { fileIndex, frame }: { readonly fileIndex: number; readonly frame: number },
  { width, height }: Size,
): GraphicsPacket {
  const { state } = known;
  const parts = (state?.graphics ?? []).filter((part) => findPart([part], fileIndex, frame) !== undefined);
  const items = parts.flatMap((part) => part.items.map(fromWireGraphic)).toSorted((a, b) => a.part - b.part);
  const [left = -0.5, top = -0.5, right = width - 0.5, bottom = height - 0.5] =
    findArea(known, fileIndex, frame)?.corners ?? [];
  return {
    rows: height,
    columns: width,
    items,
    area: {
      corners: [left, top, right, bottom],
      rotation: state?.rotation ?? 0,
      isFlipped: state?.flip_horizontal ?? false,
    },
  };
}
