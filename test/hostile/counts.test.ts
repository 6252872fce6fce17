import { HOSTILE_COUNTS } from './hostileFiles.ts';
import { testHostileFiles } from './testHostileFiles.ts';

testHostileFiles(HOSTILE_COUNTS);
