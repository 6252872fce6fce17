import { type RefObject, useEffect } from 'react';

/**
 * Makes the controls of a toolbar one stop of the Tab key, between which arrow keys, Home and End move. A control that was
 * clicked leaves these keys to the image.
 */
export function useOneTabStop(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const bar = ref.current;
    if (bar === null) return undefined;
    let last: Element | undefined;
    let isByPointer = false;
    const listStops = () =>
      [...bar.querySelectorAll<HTMLElement>('button:enabled, input')].filter(
        (element) => element.closest('[popover]') === null,
      );
    const mark = () => {
      const stops = listStops();
      const current = stops.find((stop) => stop === last) ?? stops[0];
      for (const stop of stops) {
        const tabIndex = stop === current ? 0 : -1;
        if (stop.tabIndex !== tabIndex) stop.tabIndex = tabIndex;
      }
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const stops = listStops();
      const at = stops.findIndex((stop) => stop === event.target);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
      const isOther = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
      if (next === undefined || at < 0 || isByPointer || isOther || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      stops.at(next % stops.length)?.focus();
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !listStops().some((stop) => stop === target)) return;
      last = target;
      mark();
    };
    const ending = new AbortController();
    const { signal } = ending;
    bar.addEventListener('keydown', onKeyDown, { signal });
    bar.addEventListener('focusin', onFocus, { signal });
    addEventListener('pointerdown', () => (isByPointer = true), { capture: true, signal });
    addEventListener('keydown', ({ key }) => (isByPointer &&= key !== 'Tab'), { capture: true, signal });
    // Its parts come, go and become enabled by themselves.
    const observer = new MutationObserver(mark);
    observer.observe(bar, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    mark();
    return () => {
      ending.abort();
      observer.disconnect();
    };
  }, [ref]);
}
