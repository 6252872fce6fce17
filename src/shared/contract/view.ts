import { type Static, Type, nullable } from './schema.ts';

const LONGEST_ADDRESS = 32_768;
const MOST_CELLS = 16;

const Window = Type.Object({ center: Type.Number(), width: Type.Number({ exclusiveMinimum: 0 }) });

const ShownCell = Type.Object({
  cell: Type.Integer({ minimum: 0 }),
  /** The stored frame on screen; null for an empty cell and for a picture that is no stored frame. */
  file_index: nullable(Type.Integer()),
  frame_index: nullable(Type.Integer()),
  /** Of the picture among those that the user scrolls through. */
  position: Type.Integer(),
  positions: Type.Integer(),
  status: Type.Enum(['empty', 'loading', 'ready', 'failed']),
  /** Why there is no picture. */
  error: nullable(Type.String()),
  /** In modality units; null for color. */
  window: nullable(Type.Object({ center: Type.Number(), width: Type.Number() })),
});

/** What a page shows, as the page itself says it. */
export const ShownView = Type.Object({
  /** All of it, in the form of a link: what follows the `#`. */
  address: Type.String({ maxLength: LONGEST_ADDRESS }),
  rows: Type.Integer(),
  columns: Type.Integer(),
  active_cell: Type.Integer(),
  cells: Type.Array(ShownCell, { maxItems: MOST_CELLS }),
});
export type ShownView = Static<typeof ShownView>;

export const ViewResponse = Type.Object({
  /** Number of open pages. */
  pages: Type.Integer(),
  /** Of the page that was used last; null if no page is open. */
  view: nullable(ShownView),
});
export type ViewResponse = Static<typeof ViewResponse>;

const PLACE = {
  file: Type.Optional(Type.Integer({ minimum: 0 })),
  /** SOP Instance UID. */
  sop: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  /** Series Instance UID. */
  series: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  /** A whole view, as in `address` of an answer. */
  address: Type.Optional(Type.String({ maxLength: LONGEST_ADDRESS })),
  /** Of the file; with a series, or without a place, the position among the pictures of the cell. */
  frame: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Null: that of the file. */
  window: Type.Optional(nullable(Window)),
  /** Absent: the active one. */
  cell: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_CELLS - 1 })),
};

/** What a page is to show: at most one of `file`, `sop`, `series` and `address`. */
export const ViewWish = Type.Object(PLACE);
export type ViewWish = Static<typeof ViewWish>;

export const ViewChange = Type.Object(
  {
    ...PLACE,
    /** Answer when it is on screen. */
    wait: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ViewChange = Static<typeof ViewChange>;

export const ViewPictureChoice = Type.Object(
  {
    /** Absent: all cells on screen. */
    cell: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_CELLS - 1 })),
    /** Texts, marks and layers. Default true. */
    overlays: Type.Optional(Type.Boolean()),
    /** `stored`: the whole image of one cell, one pixel for each stored one. */
    size: Type.Optional(Type.Enum(['screen', 'stored'])),
  },
  { additionalProperties: false },
);
export type ViewPictureChoice = Static<typeof ViewPictureChoice>;

/** The failures that a page can answer with. */
export const PAGE_FAILURES = ['not_found', 'nothing_shown', 'bad_request', 'page_timeout'] as const;
export type PageFailure = (typeof PAGE_FAILURES)[number];

const PageAnswer = Type.Object({
  request: Type.Integer(),
  view: nullable(ShownView),
  failure: nullable(Type.Object({ code: Type.Enum([...PAGE_FAILURES]), message: Type.String({ maxLength: 1024 }) })),
});
export type PageAnswer = Static<typeof PageAnswer>;

/** What a page says of itself. It does so when it opens, gets the focus, is asked for it, and leaves. */
export const PageReport = Type.Object(
  {
    /** Chosen by the page at random. */
    page: Type.String({ minLength: 8, maxLength: 64 }),
    state: Type.Enum(['visible', 'hidden', 'left']),
    /** Unix time at which it last had the focus; 0: never. */
    focused_at_ms: Type.Number({ minimum: 0 }),
    /** To the request that it was given. A picture is sent by /view/picture/:request instead. */
    answer: nullable(PageAnswer),
  },
  { additionalProperties: false },
);
export type PageReport = Static<typeof PageReport>;

/** What a page is to do next. With neither, it is to say what it shows. */
export const PageRequest = Type.Object({
  request: Type.Integer(),
  show: nullable(ViewWish),
  picture: nullable(ViewPictureChoice),
});
export type PageRequest = Static<typeof PageRequest>;

export const PageOrders = Type.Object({ next: nullable(PageRequest) });
export type PageOrders = Static<typeof PageOrders>;

/** False: nobody waits for the picture any more. */
export const PictureReceipt = Type.Object({ accepted: Type.Boolean() });
export type PictureReceipt = Static<typeof PictureReceipt>;
