import type { ReactNode } from 'react';

/** A name and what it is; what is undefined is not said. */
export type Fact = readonly [name: string, value: ReactNode];
