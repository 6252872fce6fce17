import type { MeasureTool } from '../state/tools.ts';
import { angle } from './angle.ts';
import { ellipse } from './ellipse.ts';
import { length } from './length.ts';
import type { MeasureKind } from './measureKind.ts';
import { probe } from './probe.ts';
import { rectangle } from './rectangle.ts';

export const MEASURE_KINDS: Readonly<Record<MeasureTool, MeasureKind>> = { length, angle, ellipse, rectangle, probe };
