import type { Code } from '../../shared/contract/semantics.ts';

/** What stored values of an image stand for in the real world: a line, or a table. PS3.3 C.7.6.16.2.11. */
export type RealWorldMapping = {
  readonly label: string | undefined;
  readonly firstValueMapped: number | undefined;
  readonly lastValueMapped: number | undefined;
  readonly slope: number | undefined;
  readonly intercept: number | undefined;
  /** The first ones, as many as were asked for. */
  readonly lutData: readonly number[];
  readonly lutDataTruncated: boolean;
  /** How many values the table has in all. */
  readonly lutLength: number;
  readonly units: Code | undefined;
  readonly quantity: Code | undefined;
  readonly derivation: Code | undefined;
};

export type StoredValueType = 'float32' | 'float64' | 'integer';

export type ParametricMapRecord = {
  readonly storedValueType: StoredValueType;
  readonly mappings: readonly RealWorldMapping[];
};
