import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import type { Page } from '../../../kit/state/page.ts';
import { createSvgElement } from '../../../kit/ui/svgElements.ts';
import { frameKey } from '../sync/markForm.ts';
import { assistantsOf, type DrawnPrompt } from './assistants.ts';

/** Draws what the user has pointed at on the picture that it was drawn on: plus inside, minus outside. */
export function drawPrompts(page: Page, group: SVGGElement, shown: ShownFrame | undefined): void {
  const { prompts, live } = assistantsOf(page).getState();
  const key = shown && (shown.cut?.key ?? frameKey({ fileIndex: shown.file.index, frame: shown.frame }));
  const here = [...prompts, ...(live === undefined ? [] : [live])].filter(({ groundKey }) => groundKey === key);
  if (here.length === 0 && !group.hasChildNodes()) return;
  group.replaceChildren(...(shown === undefined ? [] : here.map((prompt) => drawOne(prompt, shown))));
}

const ARM = 5;

function drawOne({ kind, is_positive: isPositive, points }: DrawnPrompt, { screen }: ShownFrame): SVGElement {
  const at = points.map((point) => applyMatrix(screen.imageToScreen, point));
  const [a, b = a] = [at[0]!, at.at(-1)];
  const path =
    kind === 'scribble'
      ? at.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('')
      : kind === 'box'
        ? `M${a.x} ${a.y}H${b.x}V${b.y}H${a.x}Z`
        : `M${a.x - ARM} ${a.y}h${2 * ARM}${isPositive ? `M${a.x} ${a.y - ARM}v${2 * ARM}` : ''}`;
  const element = createSvgElement('path', undefined);
  element.setAttribute('d', path);
  element.dataset['prompt'] = kind;
  element.dataset['positive'] = String(isPositive);
  return element;
}
