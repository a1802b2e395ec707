/*
 * Solves the equations by conjugate gradients, preconditioned by one symmetric Gauss-Seidel sweep,
 * (L + D) D^-1 (D + U). Each iteration solves both triangles once and needs no product with the matrix: with
 * d = (D + U)^-1 p, (L + D)^-1 A d = d + (L + D)^-1 (p - D d).
 *
 * Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, sections 9.2.1 and 9.2.2 (Eisenstat, Efficient
 * Implementation of a Class of Preconditioned Conjugate Gradient Methods, 1981).
 */

import {
  BELOW,
  DIAGONAL,
  EQUATION_BYTES,
  equations,
  FURTHER_BELOW,
  pixels,
  RECIPROCAL,
  RHS,
} from './equations.ts';
import { allocate, height, width } from './picture.ts';

/** Numbers of an unknown, f64. */
export const UNKNOWN_BYTES: i32 = 64;
export const SOLUTION: i32 = 0;
/** (L + D)^-1 times the residual. */
const RESIDUAL: i32 = 8;
const DIRECTION: i32 = 16;
/** The direction, of the solution itself. */
const CHANGE: i32 = 24;
const PRODUCT: i32 = 32;
/** Free for others. */
export const PRIOR: i32 = 40;
export const WEIGHT: i32 = 48;
export const APPLIED: i32 = 56;

/** By ordinal, from 1. */
export let unknowns: i32 = 0;
let count: i32 = 0;
/** f64, laid out like the picture: the values of unknowns; and what those above and to the left add to an equation. */
let values: i32 = 0;
let added: i32 = 0;

export function setUnknowns(all: i32): void {
  count = all;
  unknowns = allocate(UNKNOWN_BYTES * (all + 1));
  // Neighbours may lie beyond the last row; their coefficients are zero.
  values = allocate(8 * (width * height + 2 * width + 4));
  added = allocate(8 * (width * height + 2 * width + 4));
}

/** The terms of an equation with the five pixels of a row, of which `at` is the first. */
function rowTerms(coefficients: i32, at: i32): f64 {
  const pairs = f64x2.add(
    f64x2.mul(v128.load(coefficients), v128.load(at)),
    f64x2.mul(v128.load(coefficients, 16), v128.load(at, 16)),
  );
  return (
    f64x2.extract_lane(pairs, 0) +
    f64x2.extract_lane(pairs, 1) +
    load<f64>(coefficients, 32) * load<f64>(at, 32)
  );
}

/** The terms of an equation with the pixels that follow. */
function upperTerms(equation: i32, at: i32): f64 {
  return (
    rowTerms(equation + BELOW, at + 8 * (width - 2)) +
    rowTerms(equation + FURTHER_BELOW, at + 8 * (2 * width - 2)) +
    load<f64>(equation, 8) * load<f64>(at, 16) +
    load<f64>(equation) * load<f64>(at, 8)
  );
}

function addTo(at: i32, coefficient: i32, value: f64): void {
  store<f64>(at, load<f64>(at) + load<f64>(coefficient) * value);
}

function addToRow(at: i32, coefficients: i32, value: f64): void {
  addTo(at, coefficients, value);
  addTo(at + 8, coefficients + 8, value);
  addTo(at + 16, coefficients + 16, value);
  addTo(at + 24, coefficients + 24, value);
  addTo(at + 32, coefficients + 32, value);
}

/** Adds the terms with a pixel to the equations of those that follow. */
function addToFollowing(equation: i32, at: i32, value: f64): void {
  addTo(at + 8, equation, value);
  addTo(at + 16, equation + 8, value);
  addToRow(at + 8 * (width - 2), equation + BELOW, value);
  addToRow(at + 8 * (2 * width - 2), equation + FURTHER_BELOW, value);
}

/** Returns what was added for a pixel, and clears it. */
function take(at: i32): f64 {
  const sum = load<f64>(at);
  store<f64>(at, 0);
  return sum;
}

/** Solves (L + D) x = rhs for the next unknown. */
function solveLower(equation: i32, pixel: i32, rhs: f64): f64 {
  const at = added + pixel;
  const value = (rhs - take(at)) * load<f64>(equation, RECIPROCAL);
  addToFollowing(equation, at, value);
  return value;
}

/** Sets the residual of the initial guess, and the first direction. @returns the squares of the right-hand side */
function begin(): f64 {
  const last = unknowns + UNKNOWN_BYTES * count;
  let equation = equations + EQUATION_BYTES;
  let target: f64 = 0;
  for (let u = unknowns + UNKNOWN_BYTES, p = pixels + 4; u <= last; u += UNKNOWN_BYTES, p += 4) {
    const pixel = 8 * load<i32>(p);
    store<f64>(equation, 1.0 / load<f64>(equation, DIAGONAL), RECIPROCAL);
    store<f64>(values + pixel, load<f64>(u, SOLUTION));
    const value = solveLower(equation, pixel, load<f64>(equation, RHS));
    target += load<f64>(equation, DIAGONAL) * value * value;
    equation += EQUATION_BYTES;
  }
  equation = equations + EQUATION_BYTES;
  for (let u = unknowns + UNKNOWN_BYTES, p = pixels + 4; u <= last; u += UNKNOWN_BYTES, p += 4) {
    const pixel = 8 * load<i32>(p);
    const value = load<f64>(u, SOLUTION);
    const upper = upperTerms(equation, values + pixel);
    const product = take(added + pixel) + load<f64>(equation, DIAGONAL) * value + upper;
    store<f64>(u, load<f64>(equation, RHS) - product, PRODUCT);
    addToFollowing(equation, added + pixel, value);
    equation += EQUATION_BYTES;
  }
  return target;
}

/** @returns the squares of the residual */
function beginResidual(): f64 {
  const last = unknowns + UNKNOWN_BYTES * count;
  let equation = equations + EQUATION_BYTES;
  let norm: f64 = 0;
  for (let u = unknowns + UNKNOWN_BYTES, p = pixels + 4; u <= last; u += UNKNOWN_BYTES, p += 4) {
    const residual = solveLower(equation, 8 * load<i32>(p), load<f64>(u, PRODUCT));
    store<f64>(u, residual, RESIDUAL);
    store<f64>(u, 0, DIRECTION);
    norm += load<f64>(equation, DIAGONAL) * residual * residual;
    equation += EQUATION_BYTES;
  }
  return norm;
}

/** Turns the direction, and solves (D + U) change = direction, from the last unknown to the first. */
function turn(share: f64): void {
  let equation = equations + EQUATION_BYTES * count;
  let p = pixels + 4 * count;
  for (let u = unknowns + UNKNOWN_BYTES * count; u > unknowns; u -= UNKNOWN_BYTES, p -= 4) {
    const direction =
      load<f64>(equation, DIAGONAL) * load<f64>(u, RESIDUAL) + share * load<f64>(u, DIRECTION);
    const at = values + 8 * load<i32>(p);
    const change = (direction - upperTerms(equation, at)) * load<f64>(equation, RECIPROCAL);
    store<f64>(u, direction, DIRECTION);
    store<f64>(u, change, CHANGE);
    store<f64>(at, change);
    equation -= EQUATION_BYTES;
  }
}

/** Multiplies the change by the matrix. @returns the direction times the product */
function multiply(): f64 {
  const last = unknowns + UNKNOWN_BYTES * count;
  let equation = equations + EQUATION_BYTES;
  let dot: f64 = 0;
  for (let u = unknowns + UNKNOWN_BYTES, p = pixels + 4; u <= last; u += UNKNOWN_BYTES, p += 4) {
    const direction = load<f64>(u, DIRECTION);
    const change = load<f64>(u, CHANGE);
    const remainder = direction - load<f64>(equation, DIAGONAL) * change;
    const product = change + solveLower(equation, 8 * load<i32>(p), remainder);
    store<f64>(u, product, PRODUCT);
    dot += direction * product;
    equation += EQUATION_BYTES;
  }
  return dot;
}

/** Takes a step. @returns the squares of the residual */
function step(length: f64): f64 {
  const last = unknowns + UNKNOWN_BYTES * count;
  let diagonal = equations + EQUATION_BYTES + DIAGONAL;
  let norm: f64 = 0;
  for (let u = unknowns + UNKNOWN_BYTES; u <= last; u += UNKNOWN_BYTES) {
    store<f64>(u, load<f64>(u, SOLUTION) + length * load<f64>(u, CHANGE), SOLUTION);
    const residual = load<f64>(u, RESIDUAL) - length * load<f64>(u, PRODUCT);
    store<f64>(u, residual, RESIDUAL);
    norm += load<f64>(diagonal) * residual * residual;
    diagonal += EQUATION_BYTES;
  }
  return norm;
}

/**
 * Replaces the solutions, which are the initial guess, by better ones.
 * @param tolerance it stops at a residual of so much of the right-hand side, or after `maxIterations`
 * @returns the number of iterations
 */
export function solve(tolerance: f64, maxIterations: i32): i32 {
  const target = begin() * tolerance * tolerance;
  let norm = beginResidual();
  let share: f64 = 0;
  let iterations = 0;
  for (; iterations < maxIterations && norm > target; iterations++) {
    turn(share);
    const previous = norm;
    norm = step(previous / multiply());
    share = norm / previous;
  }
  return iterations;
}
