// What rules need: one file of code, loaded when a study is first opened by rule.
export { hangStudy } from './hangStudy.ts';
export { comparePrior, stepStudy, studyOfScreen } from './nextStudy.ts';
export { saveRule } from './saveRule.ts';
