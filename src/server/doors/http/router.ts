/** A node of the tree of all routes: one segment of a path. */
type Segment<Route> = {
  readonly fixed: Map<string, Segment<Route>>;
  parameter: { readonly name: string; readonly next: Segment<Route> } | undefined;
  /** By method. */
  readonly routes: Map<string, Route>;
};

export type Found<Route> = {
  /** The routes of this path, by method. There is none if no route has this path. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Finds routes by path. A segment `:name` of a pattern stands for any text that is not empty. */
export type Router<Route> = {
  add(method: string, pattern: string, route: Route): void;
  find(path: string): Found<Route>;
};

export function createRouter<Route>(): Router<Route> {
  const root = createSegment<Route>();
  return {
    add(method, pattern, route) {
      let at = root;
      for (const text of pattern.split('/')) at = enter(at, text);
      at.routes.set(method, route);
    },
    find(path) {
      // Without a prototype, so that a parameter may have any name.
      const parameters: Record<string, string> = Object.create(null);
      let at: Segment<Route> | undefined = root;
      for (const text of path.split('/')) {
        const fixed: Segment<Route> | undefined = at.fixed.get(text);
        if (fixed === undefined && at.parameter !== undefined && text !== '') {
          parameters[at.parameter.name] = text;
          at = at.parameter.next;
        } else at = fixed;
        if (at === undefined) return NOTHING;
      }
      return { routes: at.routes, parameters };
    },
  };
}

const NOTHING = { routes: new Map<string, never>(), parameters: {} };

function createSegment<Route>(): Segment<Route> {
  return { fixed: new Map(), parameter: undefined, routes: new Map() };
}

function enter<Route>(at: Segment<Route>, text: string): Segment<Route> {
  if (text.startsWith(':')) {
    const name = text.slice(1);
    at.parameter ??= { name, next: createSegment() };
    if (at.parameter.name !== name) throw new Error(`a segment is called ${at.parameter.name} and ${name}`);
    return at.parameter.next;
  }
  const next = at.fixed.get(text) ?? createSegment();
  at.fixed.set(text, next);
  return next;
}
