import { ViewerError } from '../../../shared/contract/errors.ts';
import type { PageReport, PageRequest, ViewPictureChoice, ShownView, ViewWish } from '../../../shared/contract/view.ts';

/** What a page is asked for. */
export type PageOrder =
  | { readonly kind: 'look' }
  | { readonly kind: 'show'; readonly wish: ViewWish }
  | { readonly kind: 'picture'; readonly choice: ViewPictureChoice };

/** The open pages of this server. They are told by an event that there is something to do, and fetch it by a report. */
export interface Pages {
  count(): number;
  /** What the page that was used last shows, after it has followed the order. Throws `no_page` and `page_timeout`. */
  ask(order: Exclude<PageOrder, { kind: 'picture' }>, signal: AbortSignal): Promise<ShownView>;
  /** A PNG. Throws `no_page` and `page_timeout`. */
  askPicture(choice: ViewPictureChoice, signal: AbortSignal): Promise<Uint8Array>;
  /** Nobody waits for it. If no page is open, the next one that opens shows it. */
  show(wish: ViewWish): void;
  /** Takes what a page says, and returns what it is to do next. */
  report(report: PageReport): PageRequest | undefined;
  /** Whether somebody waits for this picture. */
  awaitsPicture(request: number): boolean;
  /** False: nobody waits for it any more. */
  givePicture(request: number, png: Uint8Array): boolean;
  /** Number of the latest request; 0: none yet. */
  readonly latestRequest: number;
  /** Calls the listener after every new request; returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
}

export type PagesOptions = {
  /** How long a page may take to fetch a request. Without events it asks every 5 s. */
  readonly fetchMs?: number;
  /** How long it may then take to answer. */
  readonly answerMs?: number;
};

type Pending = {
  readonly request: number;
  readonly order: PageOrder;
  /** Whether somebody waits for the answer. */
  readonly isAwaited: boolean;
  isFetched: boolean;
  readonly settle: (answer: ShownView | Uint8Array) => void;
  readonly fail: (error: ViewerError) => void;
  /** The page is gone. */
  readonly leave: () => void;
};

type OpenPage = { readonly id: string; isVisible: boolean; focusedAtMs: number; readonly queue: Pending[] };

/** Further ones are forgotten, the one that was silent longest first. */
const MOST_PAGES = 64;
const MOST_WAITING = 32;

export function createPages({ fetchMs = 8_000, answerMs = 30_000 }: PagesOptions = {}): Pages {
  /** In the order of their last reports. */
  const pages = new Map<string, OpenPage>();
  const listeners = new Set<() => void>();
  let latestRequest = 0;
  /** What the next page that opens is to show. */
  let kept: ViewWish | undefined;

  const choosePage = (): OpenPage | undefined =>
    [...pages.values()].reduce<OpenPage | undefined>(
      (best, one) =>
        best === undefined || (one.isVisible === best.isVisible ? one.focusedAtMs >= best.focusedAtMs : one.isVisible)
          ? one
          : best,
      undefined,
    );

  const enqueue = (page: OpenPage, entry: Omit<Pending, 'request' | 'isFetched'>): Pending => {
    if (page.queue.length >= MOST_WAITING) {
      throw new ViewerError('page_timeout', `${MOST_WAITING} requests are already waiting for the page`);
    }
    const pending: Pending = { ...entry, request: ++latestRequest, isFetched: false };
    page.queue.push(pending);
    for (const listener of listeners) listener();
    return pending;
  };

  const forget = (page: OpenPage) => {
    pages.delete(page.id);
    for (const { leave } of page.queue.splice(0)) leave();
  };

  /** A page that does not fetch the request is gone without having said so; then the next one is asked. */
  const askPages = async (order: PageOrder, signal: AbortSignal): Promise<ShownView | Uint8Array> => {
    for (let page = choosePage(); page !== undefined; page = choosePage()) {
      const answer = await askOne(page, order, signal);
      if (answer !== undefined) return answer;
      forget(page);
    }
    throw new ViewerError('no_page', 'no page is open: open the viewer in a browser first');
  };

  const askOne = (page: OpenPage, order: PageOrder, signal: AbortSignal) =>
    new Promise<ShownView | Uint8Array | undefined>((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        remove(page.queue, pending);
        end();
      };
      const onTime = () => {
        if (!pending.isFetched) finish(() => resolve(undefined));
        else finish(() => reject(new ViewerError('page_timeout', 'the page did not answer in time')));
      };
      const onAbort = () => finish(() => reject(signal.reason));
      const pending = enqueue(page, {
        order,
        isAwaited: true,
        settle: (answer) => finish(() => resolve(answer)),
        fail: (error) => finish(() => reject(error)),
        leave: () => finish(() => resolve(undefined)),
      });
      // The time to answer begins when the page has fetched the request, and is looked at once for both.
      let timer = setTimeout(() => {
        if (!pending.isFetched) onTime();
        else timer = setTimeout(onTime, answerMs).unref();
      }, fetchMs).unref();
      signal.addEventListener('abort', onAbort, { once: true });
    });

  const findPending = (request: number): Pending | undefined => {
    for (const { queue } of pages.values()) {
      const found = queue.find((one) => one.request === request);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const noteAnswer = ({ queue }: OpenPage, { request, view, failure }: NonNullable<PageReport['answer']>) => {
    const pending = queue.find((one) => one.request === request && one.isFetched);
    if (pending === undefined) return;
    if (failure !== null) pending.fail(new ViewerError(failure.code, failure.message));
    else if (view !== null && pending.order.kind !== 'picture') pending.settle(view);
    else pending.fail(new ViewerError('page_timeout', 'the page did not answer what it was asked'));
  };

  const show = (wish: ViewWish) => {
    const page = choosePage();
    if (page === undefined) kept = addWish(kept, wish);
    else showOn(page, wish);
  };

  const showOn = (page: OpenPage, wish: ViewWish) => {
    let whole = wish;
    for (const one of page.queue.filter(({ isAwaited, isFetched }) => !isAwaited && !isFetched)) {
      remove(page.queue, one);
      if (one.order.kind === 'show') whole = addWish(one.order.wish, whole);
    }
    const drop = () => remove(page.queue, pending);
    const entry = { order: { kind: 'show', wish: whole }, isAwaited: false, settle: drop, fail: drop } as const;
    const pending: Pending = enqueue(page, { ...entry, leave: () => show(whole) });
  };

  return {
    count: () => pages.size,
    get latestRequest() {
      return latestRequest;
    },
    async ask(order, signal) {
      const view = await askPages(order, signal);
      if (view instanceof Uint8Array) throw new Error('a page answered with a picture');
      return view;
    },
    async askPicture(choice, signal) {
      const png = await askPages({ kind: 'picture', choice }, signal);
      if (!(png instanceof Uint8Array)) throw new Error('a page answered without a picture');
      return png;
    },
    show,
    report({ page: id, state, focused_at_ms: focusedAtMs, answer }) {
      const known = pages.get(id);
      const page: OpenPage = known ?? { id, isVisible: true, focusedAtMs, queue: [] };
      page.isVisible = state === 'visible';
      page.focusedAtMs = focusedAtMs;
      if (answer !== null) noteAnswer(page, answer);
      if (state === 'left') {
        forget(page);
        return undefined;
      }
      pages.delete(id);
      pages.set(id, page);
      const [eldest] = pages.values();
      if (pages.size > MOST_PAGES && eldest !== undefined) forget(eldest);
      if (known === undefined && kept !== undefined) {
        showOn(page, kept);
        kept = undefined;
      }
      const next = page.queue[0];
      if (next === undefined) return undefined;
      next.isFetched = true;
      return toRequest(next);
    },
    awaitsPicture: (request) => findPending(request)?.order.kind === 'picture',
    givePicture(request, png) {
      const pending = findPending(request);
      if (pending?.order.kind !== 'picture') return false;
      pending.settle(png);
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function remove(queue: Pending[], pending: Pending): void {
  const at = queue.indexOf(pending);
  if (at >= 0) queue.splice(at, 1);
}

/** Of wishes that nobody has followed yet, the latest place counts, and what was changed about it later. */
function addWish(before: ViewWish | undefined, wish: ViewWish): ViewWish {
  const { file, sop, series, address } = wish;
  const isElsewhere = [file, sop, series, address].some((place) => place !== undefined);
  return isElsewhere ? wish : { ...before, ...wish };
}

function toRequest({ request, order }: Pending): PageRequest {
  return {
    request,
    show: order.kind === 'show' ? order.wish : null,
    picture: order.kind === 'picture' ? order.choice : null,
  };
}
