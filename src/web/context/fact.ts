import type { ReactNode } from 'react';

/** A name and its value. A fact whose value is undefined is not shown. */
export type Fact = readonly [name: string, value: ReactNode];
