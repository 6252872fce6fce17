import { openPopover } from './openPopover.ts';
import styles from './tooltips.module.css';

const GAP_PX = 6;

/**
 * Shows the `data-tooltip` of an element, and the key in its `data-key`, as soon as the pointer is over it or it gets
 * the focus by keyboard. The element's accessible name has the same text, so the tooltip is only visual. Returns a
 * function that stops it.
 */
export function showTooltips(): () => void {
  const ending = new AbortController();
  const options = { signal: ending.signal, capture: true };
  const tip = document.createElement('div');
  tip.className = styles.tooltip ?? '';
  tip.popover = 'manual';
  tip.setAttribute('aria-hidden', 'true');
  tip.dataset['tip'] = '';
  document.body.append(tip);
  let shownFor: Element | undefined;

  const hide = () => {
    shownFor = undefined;
    if (tip.matches(':popover-open')) tip.hidePopover();
  };
  const show = (element: HTMLElement) => {
    if (shownFor === element) return;
    const { tooltip = '', key } = element.dataset;
    tip.replaceChildren(tooltip);
    if (key !== undefined) {
      const kbd = document.createElement('kbd');
      kbd.textContent = key;
      tip.append(kbd);
    }
    // Shown again, so that it lies over a menu that was opened in the meantime.
    hide();
    shownFor = element;
    if (openPopover(tip)) place(tip, element.getBoundingClientRect());
  };
  const onPointerOver = ({ target, pointerType, buttons }: PointerEvent) => {
    const element = findTooltip(target);
    if (element === undefined || pointerType === 'touch' || buttons !== 0) hide();
    else show(element);
  };
  const onFocus = ({ target }: FocusEvent) => {
    const element = findTooltip(target);
    if (element?.matches(':focus-visible') === true) show(element);
  };
  addEventListener('pointerover', onPointerOver, options);
  addEventListener('focusin', onFocus, options);
  for (const type of ['pointerdown', 'focusout', 'keydown', 'wheel', 'blur'] as const) {
    addEventListener(type, hide, { ...options, passive: true });
  }
  document.documentElement.addEventListener('pointerleave', hide, options);
  return () => {
    ending.abort();
    tip.remove();
  };
}

function findTooltip(target: EventTarget | null): HTMLElement | undefined {
  const found = target instanceof Element ? target.closest('[data-tooltip]') : null;
  return found instanceof HTMLElement ? found : undefined;
}

/** Centered below the element, or above it if there is no room. */
function place(tip: HTMLElement, { left, top, width, bottom }: DOMRect): void {
  const most = innerWidth - tip.offsetWidth - GAP_PX;
  tip.style.left = `${Math.max(GAP_PX, Math.min(most, left + (width - tip.offsetWidth) / 2))}px`;
  const isBelow = bottom + GAP_PX + tip.offsetHeight <= innerHeight;
  tip.style.top = `${isBelow ? bottom + GAP_PX : top - GAP_PX - tip.offsetHeight}px`;
}
