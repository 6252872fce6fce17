import type { DocumentKindName, DocumentViewName, StatusTone } from '../../../shared/contract/documentTerms.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import type { ReadFilter, ReadLimits } from '../../standard/dicom/readPlan.ts';
import type { DocumentLink } from './documentTasks.ts';

/** An object as a builder gets it: read as far as the limits of the reader allow, without its pixels. */
export type DocumentSource = {
  readonly dataSet: DataSet;
  readonly sopClassUid: string;
  /** Without the word Storage; undefined for a private or unknown class. */
  readonly className: string | undefined;
  readonly transferSyntaxUid: string;
};

export type DocumentStatus = { readonly label: string; readonly value: string; readonly tone: StatusTone };

export type DocumentFact = {
  readonly section: string;
  readonly label: string;
  readonly value: string;
  readonly unit?: string | undefined;
  /** As `/tags/select` takes it. */
  readonly tagPath?: string | undefined;
};

export type TableCell = string | number | undefined;

/** `isColor`: its cells are red, green and blue of sRGB, such as `255, 0, 0`. */
export type DocumentColumn = {
  readonly label: string;
  readonly unit?: string | undefined;
  readonly isColor?: boolean | undefined;
};

export type DocumentTable = {
  readonly title: string;
  readonly columns: readonly DocumentColumn[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Number of rows in the object; absent if all of them are in `rows`. */
  readonly rowCount?: number | undefined;
};

/** A drawing of a few numbers. The page draws it; nothing of a file is a drawing by itself. */
export type DocumentFigure =
  | {
      readonly type: 'strip';
      readonly title: string;
      /** As `#rrggbb`, from left to right. */
      readonly colors: readonly string[];
      /** The values of the first and last color. */
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly type: 'curve';
      readonly title: string;
      readonly x: FigureAxis;
      readonly y: FigureAxis;
      readonly points: readonly (readonly [x: number, y: number])[];
    }
  | {
      readonly type: 'boxes';
      readonly title: string;
      /** Width of the drawing over its height. */
      readonly aspect: number;
      /** In shares of the drawing, from its upper left corner. */
      readonly boxes: readonly FigureBox[];
    };

export type FigureAxis = { readonly label: string; readonly unit?: string | undefined };

export type FigureBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  /** Whether it frames others, as a screen does. */
  readonly isFrame: boolean;
};

export type DocumentWarning = { readonly code: string; readonly message: string };

/** What a builder says about an object. Lists are cut to the limits of the answer afterwards. */
export type DocumentDraft = {
  readonly title: string;
  readonly subtitle?: string | undefined;
  readonly status: readonly DocumentStatus[];
  readonly facts: readonly DocumentFact[];
  readonly tables: readonly DocumentTable[];
  readonly figures?: readonly DocumentFigure[] | undefined;
  /** Absent: all references of the object, as the references panel lists them. */
  readonly links?: readonly DocumentLink[] | undefined;
  readonly warnings: readonly DocumentWarning[];
};

/** Which elements are read. By default all but icons, within the limits of the reader. */
export type DocumentReading = { readonly filter?: ReadFilter; readonly limits?: Partial<ReadLimits> };

/** A kind of document. All kinds are in `documentKinds.ts`. */
export interface DocumentKind {
  readonly name: DocumentKindName;
  /** UIDs; see `listSopClasses`. */
  readonly sopClasses: readonly string[];
  /** Whether an object is of this kind whatever its class. It is asked before the classes are compared. */
  readonly recognizes?: (source: DocumentSource) => boolean;
  /** The endpoints below `/file/:index` that answer for it. */
  readonly views: readonly DocumentViewName[];
  /** What the page shows of it, for docs/objects.md. */
  readonly shows: string;
  /**
   * How much of an object of its classes is read for its document, if that is not all of it: the rest has an endpoint.
   * All of it is read if `needsAll` says so of the part that was read.
   */
  readonly firstReading?: DocumentReading & { readonly needsAll: (source: DocumentSource) => boolean };
  /** Runs in a worker. Whatever it reads is bounded: the file may be hostile. */
  readonly build: (source: DocumentSource) => DocumentDraft;
}
