#!/bin/sh
echo clean
