import type { Page } from 'playwright-core';

/**
 * Texts and fields that are too faint (WCAG 2.2, 1.4.3 and 1.4.11), by the colors that the browser computes: axe-core
 * gives up where something lies over the text, in popovers and over pictures. Disabled controls are exempt.
 */
export function findFaint(page: Page): Promise<string[]> {
  /* oxlint-disable unicorn/consistent-function-scoping -- this runs in the page, where nothing outside of it exists */
  return page.evaluate(() => {
    type Color = readonly [red: number, green: number, blue: number, alpha: number];
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    const known = new Map<string, Color>();
    const parse = (text: string): Color => {
      let color = known.get(text);
      if (color === undefined) {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
        color = [red, green, blue, alpha / 255];
        known.set(text, color);
      }
      return color;
    };
    const over = ([r, g, b, a]: Color, [x, y, z]: Color): Color => [
      r * a + x * (1 - a),
      g * a + y * (1 - a),
      b * a + z * (1 - a),
      1,
    ];
    const luminance = (color: Color): number => {
      const [red = 0, green = 0, blue = 0] = color.slice(0, 3).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ratio = (a: Color, b: Color): number => {
      const [x, y] = [luminance(a), luminance(b)];
      return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    };
    /** What is behind an element; a popover lies over whatever it lies over. */
    const backgroundOf = (element: Element | null): Color => {
      if (element === null) return parse(getComputedStyle(document.body).backgroundColor);
      const own = parse(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, backgroundOf(element.parentElement));
    };
    const opacityOf = (element: Element | null): number =>
      element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);
    const fade = ([r, g, b, a]: Color, opacity: number): Color => [r, g, b, a * opacity];
    const isExempt = (element: Element) =>
      element.closest(':disabled, [aria-disabled="true"], label:has(:disabled), [inert]') !== null ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true });
    const describe = (element: Element) => {
      const names = [element, element.parentElement].map((one) => one?.getAttribute('class') || one?.tagName);
      return `${names.toReversed().join(' > ')} “${(element.textContent || element.getAttribute('name') || '').trim().slice(0, 30)}”`;
    };
    const hex = (color: Color) =>
      `#${color
        .slice(0, 3)
        .map((part) => Math.round(part).toString(16).padStart(2, '0'))
        .join('')}`;
    const found = new Set<string>();
    const judge = (what: string, element: Element, color: Color, behind: Color, least: number) => {
      const seen = over(color, behind);
      const reached = ratio(seen, behind);
      if (reached >= least) return;
      found.add(`${what}: ${reached.toFixed(2)} of ${least}, ${hex(seen)} on ${hex(behind)}: ${describe(element)}`);
    };
    const judgeText = (element: Element, style: CSSStyleDeclaration) => {
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const isSvg = element instanceof SVGElement;
      const color = fade(parse(isSvg ? style.fill : style.color), opacityOf(element));
      judge('text', element, color, backgroundOf(element), isLarge ? 3 : 4.5);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (element === null || (walker.currentNode.nodeValue ?? '').trim() === '' || isExempt(element)) continue;
      if (element.closest('option, script, style') !== null) continue;
      const { width, height } = element.getBoundingClientRect();
      // Texts for screen readers only are a pixel large.
      if (width > 1 && height > 1) judgeText(element, getComputedStyle(element));
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea, select')) {
      if (isExempt(field)) continue;
      const style = getComputedStyle(field);
      if (field.placeholder) judgeText(field, getComputedStyle(field, '::placeholder'));
      if (!/^(text|search|number|select-one|textarea)$/.test(field.type)) continue;
      // The frame may be that of a box around the field.
      const framed = [field, field.parentElement!].find(
        (one) => parseFloat(getComputedStyle(one).borderBottomWidth) > 0,
      );
      const behind = backgroundOf((framed ?? field).parentElement);
      if (ratio(backgroundOf(field), behind) >= 3 || style.appearance === 'auto') continue;
      if (framed === undefined) found.add(`field without a frame: ${describe(field)}`);
      else judge('frame', field, fade(parse(getComputedStyle(framed).borderBottomColor), opacityOf(framed)), behind, 3);
    }
    // Icons of buttons are all that says what they do.
    for (const icon of document.querySelectorAll('button svg, [role="button"] svg')) {
      if (isExempt(icon)) continue;
      // Shapes may have colors of their own; the element around them has the default fill then.
      const shape = icon.querySelector('path, line, polyline, polygon, circle, ellipse, rect') ?? icon;
      const { stroke, fill, color } = getComputedStyle(shape);
      const drawn = stroke === 'none' ? (fill === 'none' ? color : fill) : stroke;
      judge(
        'icon',
        icon.closest('button, [role="button"]')!,
        fade(parse(drawn), opacityOf(icon)),
        backgroundOf(icon),
        3,
      );
    }
    return [...found];
  });
}
