import type { Code } from '../../../shared/contract/semantics.ts';

/** The real-world meaning of the stored values of an image: a linear function, or a table. PS3.3 C.7.6.16.2.11. */
export type RealWorldMapping = {
  readonly label: string | undefined;
  readonly firstValueMapped: number | undefined;
  readonly lastValueMapped: number | undefined;
  readonly slope: number | undefined;
  readonly intercept: number | undefined;
  /** The first values of the table, up to the requested number. */
  readonly lutData: readonly number[];
  readonly lutDataTruncated: boolean;
  /** Total number of values in the table. */
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
