"""How results look, whatever they are of: tables, figures, pages.

What a certain result shows stands beside that result, in `tables`, `figures` and `report` of its
package; here is what these have in common.
"""
