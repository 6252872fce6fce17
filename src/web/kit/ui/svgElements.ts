export function createSvgElement<K extends keyof SVGElementTagNameMap>(name: K, className: string | undefined) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  if (className !== undefined) element.classList.add(className);
  return element;
}

export function setNumbers(element: Element, numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) element.setAttribute(name, String(value));
}

/** Provides as many elements as are needed and keeps the unused ones, so that moving a view creates none. */
export function createSvgPool<E extends SVGElement>(parent: SVGElement, create: () => E) {
  const group = createSvgElement('g', undefined);
  parent.append(group);
  const spare: E[] = [];
  const used: E[] = [];
  return {
    use(count: number): readonly E[] {
      while (used.length > count) {
        const element = used.pop();
        if (element === undefined) break;
        element.remove();
        spare.push(element);
      }
      while (used.length < count) {
        const element = spare.pop() ?? create();
        group.append(element);
        used.push(element);
      }
      return used;
    },
  };
}
